import { RunError } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { localError } from '../src/local-errors.ts'

const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, syscall: 'write' })

describe('an error of the file system', () => {
  it.each([
    ['ENOSPC', 'SINK_UNREACHABLE', 'free some space'],
    ['EDQUOT', 'SINK_UNREACHABLE', 'free some space'],
    ['EIO', 'SINK_UNREACHABLE', 'check the disk'],
    ['EACCES', 'SINK_DENIED', 'let the user that runs Huntfleet write there'],
    ['EPERM', 'SINK_DENIED', 'let the user that runs Huntfleet write there'],
    ['EROFS', 'SINK_DENIED', 'choose another storage.url'],
    ['ELOOP', 'SINK_DENIED', 'remove the link'],
    ['ENOTDIR', 'SINK_INVALID', 'move that file away'],
    ['EWEIRD', 'SINK_UNREACHABLE', 'check the file system'],
  ])('%s is %s and says what to do', (errno, code, hint) => {
    const error = localError(systemError(errno), 'write', '/data/t.parquet')
    expect(error).toMatchObject({
      code,
      context: { file: '/data/t.parquet', hint: expect.stringContaining(hint) },
    })
    expect(error.message).toMatch(/^cannot write \/data\/t\.parquet: /)
    expect(error.message).toContain(`(${errno})`)
  })

  it('stays what it is when it is ours, and is a bug when it is not from the system', () => {
    const ours = new RunError('CANCELLED', 'stopped')
    expect(localError(ours, 'write', '/x')).toBe(ours)
    expect(localError(new TypeError('no'), 'write', '/x').code).toBe('INTERNAL')
  })
})
