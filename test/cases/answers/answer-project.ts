import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script, Step } from '@huntfleet/testing'
import type { AnswerCase } from './answer-case.ts'

const scriptedMcp = fileURLToPath(
  new URL('../../../packages/testing/src/scripted-mcp/main.ts', import.meta.url),
)

/** The folder of a strategy with one table per case, and of the server that answers them. */
export interface AnswerProject {
  folder: string
  /** The arguments that run it. */
  args: readonly string[]
  /** Where the scripted server writes its calls. */
  callLog: string
}

/** The name of a case's table and tool. */
export function tableOf(index: number): string {
  return `case_${index + 1}`
}

/** Writes the strategy and the server of some cases. JSON is YAML, too. */
export function writeProject(cases: readonly AnswerCase[]): AnswerProject {
  const folder = mkdtempSync(join(tmpdir(), 'huntfleet-answers-'))
  const callLog = join(folder, 'calls.jsonl')
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(content, null, 1))
  writeFileSync(callLog, '')
  write('contract.yaml', contractOf(cases))
  write('binding.yaml', bindingOf(cases))
  write('server.json', scriptOf(cases))
  write('huntfleet.yaml', {
    mcp_servers: {
      scripted: {
        local: {
          command: process.execPath,
          args: ['--conditions=source', scriptedMcp, 'server.json', '--log', callLog],
        },
        limits: { concurrency: 4 },
      },
    },
  })
  const out = `file://${join(folder, 'out')}`
  return {
    folder,
    callLog,
    args: ['run', folder, '--config', join(folder, 'huntfleet.yaml'), '--out', out, '--json'],
  }
}

function byTable<T>(cases: readonly AnswerCase[], of: (one: AnswerCase, table: string) => T) {
  return Object.fromEntries(cases.map((one, index) => [tableOf(index), of(one, tableOf(index))]))
}

function contractOf(cases: readonly AnswerCase[]): unknown {
  return {
    name: 'answers',
    description: 'One table per case.',
    tags: ['test'],
    requires: { tables: byTable(cases, ({ columns }) => ({ columns })) },
  }
}

function bindingOf(cases: readonly AnswerCase[]): unknown {
  const overrides: Record<string, Record<string, string>> = {}
  for (const [index, one] of cases.entries()) {
    for (const [semantic, field] of Object.entries(one.overrides ?? {})) {
      overrides[semantic] = { ...overrides[semantic], [tableOf(index)]: field }
    }
  }
  return {
    source_bindings: byTable(cases, ({ binding }, table) => ({
      fetch_mode: 'mcp_client',
      mcp_server: 'scripted',
      mcp_tool: table,
      retry: { attempts: 1 },
      ...binding,
    })),
    field_overrides: overrides,
  }
}

function scriptOf(cases: readonly AnswerCase[]): Script {
  return {
    tools: cases.map((_, index) => ({ name: tableOf(index) })),
    script: byTable(cases, ({ answer }) => stepsOf(answer)),
    resources: Object.assign({}, ...cases.map(({ resources }) => resources)),
  }
}

function stepsOf(answer: AnswerCase['answer']): readonly Step[] {
  if (typeof answer === 'string') return [{ text: answer }]
  return 'length' in answer ? answer : [answer]
}
