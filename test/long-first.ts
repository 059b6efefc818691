import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that take their time however small their files are. Begun last they would run alone at the end. */
const long = ['/test/chaos/', '/test/fuzz/']

export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.some((folder) => moduleId.includes(folder))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
