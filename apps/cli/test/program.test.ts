import { huntfleetVersion } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { huntfleet, projectFolder } from './command-line.ts'

const commands = ['validate', 'plan', 'preview', 'run', 'enqueue', 'runs', 'worker', 'dashboard', 'schema']

describe('huntfleet', () => {
  it('says its version', async () => {
    const folder = await projectFolder()
    expect(await huntfleet(folder, '--version')).toEqual({
      code: 0,
      stdout: `${huntfleetVersion}\n`,
      stderr: '',
    })
  })

  it('lists its commands', async () => {
    const { code, stdout } = await huntfleet(await projectFolder(), '--help')
    expect(code).toBe(0)
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  })

  it.each([...commands, 'runs list', 'runs show', 'runs cancel'])('%s explains itself', async (command) => {
    const { code, stdout, stderr } = await huntfleet(await projectFolder(), ...command.split(' '), '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: huntfleet ${command}`))
  })

  it.each<[string, string[], RegExp]>([
    ['without a command', [], /^$/],
    ['with a mistyped command', ['rum'], /unknown command 'rum'\n\(Did you mean run\?\)/],
    [
      'with a mistyped option',
      ['plan', 'dns', '--parm', 'a=b'],
      /unknown option '--parm'\n\(Did you mean --param\?\)/,
    ],
    ['without an argument that is needed', ['run'], /missing required argument 'strategy'/],
    ['with a value missing', ['plan', 'dns', '--config'], /argument missing/],
    [
      'with a number that is none',
      ['plan', 'dns', '--max-rows', '1.5'],
      /--max-rows "1\.5" is not a positive whole number/,
    ],
    [
      'with a parameter that is none',
      ['plan', 'dns', '--param', 'days'],
      /--param "days" is not of the form name=value/,
    ],
    ['with a time that is none', ['plan', 'dns', '--from', 'soon'], /--from "soon" is not a time/],
    ['with an empty window', ['plan', 'dns', '--from', 'now', '--to', '-1d'], /the window is empty/],
    [
      'with an unknown document',
      ['schema', 'contrct'],
      /there is no schema "contrct"; there are contract, binding, project/,
    ],
    [
      'with a project file that is missing',
      ['plan', 'dns', '--config', 'nope.yaml'],
      /the project file nope\.yaml does not exist/,
    ],
    [
      'with a file of parameters that is missing',
      ['plan', 'dns', '--params', 'nope.json'],
      /--params: cannot read nope\.json/,
    ],
    [
      'with a table that is none',
      ['plan', 'dns', '--table', 'evnts'],
      /no table "evnts"; its tables are events; did you mean events\?/,
    ],
    ['with a strategy that is none', ['plan', 'dsn'], /no strategy "dsn".*did you mean dns\?/],
  ])('%s exits with 2 and says why', async (_, args, words) => {
    const { code, stdout, stderr } = await huntfleet(await projectFolder(), ...args)
    expect(code).toBe(2)
    if (args.length === 0) return
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toMatch(words)
  })

  it('with --json prints an error as one document on stdout', async () => {
    const folder = await projectFolder()
    for (const args of [
      ['rum', '--json'],
      ['plan', 'dsn', '--json'],
      ['plan', 'dns', '--json', '--max-rows', '0'],
    ]) {
      const { code, stdout, stderr } = await huntfleet(folder, ...args)
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        error: expect.objectContaining({ kind: 'config', message: expect.any(String) }),
      })
    }
  })
})
