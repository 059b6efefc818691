import type { DoneRuleText, PaginationText } from './binding-pagination-schema.ts'
import type { FillArguments } from './compile-pagination.ts'
import type { JsonObject } from './json-value.ts'
import type { LateArgument } from './late-argument.ts'
import type { SearchJobSpec } from './pagination-spec.ts'

/**
 * A search job whose arguments are filled. Without `submit_args` the search is submitted with the arguments of the
 * fetch, less those that wait for its id.
 */
export function compileSearchJob(
  text: NonNullable<PaginationText['job']>,
  args: JsonObject,
  late: readonly LateArgument[],
  fill: FillArguments,
): SearchJobSpec {
  const needsId = (argument: LateArgument) =>
    argument.parts.some((part) => typeof part !== 'string' && part.name === 'job.id')
  const withId = late.filter(needsId)
  const submitArgs = { ...args }
  for (const argument of withId) if (argument.at.length === 1) delete submitArgs[String(argument.at[0])]
  const named = withId.find((argument) => argument.at.length === 1 && argument.parts.length === 1)?.at[0]
  const lastWord =
    text.id_path
      .split(/[.[\]]+/)
      .filter((word) => word !== '')
      .at(-1) ?? 'id'
  const submit = text.submit_args && fill(['job', 'submit_args'], text.submit_args)
  const poll = fill(['job', 'poll_args'], text.poll_args ?? {})
  const rules = Array.isArray(text.done_when) ? text.done_when : [text.done_when]
  return {
    submitTool: text.submit_tool,
    submitArgs: submit?.args ?? submitArgs,
    submitLate: submit?.late ?? null,
    idPath: text.id_path,
    pollTool: text.poll_tool,
    pollArgs: poll.args,
    pollLate: poll.late,
    pollParam: text.poll_param ?? (named === undefined ? lastWord : String(named)),
    doneWhen: rules.map(compileDone),
    pollIntervalMs: text.poll_interval ?? 1_000,
  }
}

function compileDone(rule: DoneRuleText): SearchJobSpec['doneWhen'][number] {
  if (rule.equals !== undefined) return { path: rule.path, test: 'equals', value: rule.equals }
  if (rule.in !== undefined) return { path: rule.path, test: 'in', value: rule.in }
  if (rule.matches !== undefined) return { path: rule.path, test: 'matches', value: rule.matches }
  return { path: rule.path, test: 'exists', value: rule.exists ?? true }
}
