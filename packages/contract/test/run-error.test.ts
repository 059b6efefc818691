import { describe, expect, it } from 'vitest'
import { errorDocumentSchema } from '../src/manifest.ts'
import { fromErrorDocument, RunError, toRunError } from '../src/run-error.ts'

const error = new RunError('TOOL_FAILED', 'no luck', { table: 'events', page: 3, hint: 'try again' })

describe('a run error', () => {
  it('knows its kind and says it all in JSON', () => {
    expect(error.kind).toBe('tool')
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      ...{ code: 'TOOL_FAILED', kind: 'tool', message: 'no luck' },
      ...{ table: 'events', page: 3, hint: 'try again' },
    })
    expect(errorDocumentSchema.parse(error.toJSON())).toEqual(error.toJSON())
  })

  it('gets more context without losing what it has', () => {
    const cause = new Error('below')
    const more = new RunError('TOOL_FAILED', 'no luck', { table: 'events' }, cause).with({
      table: 'other',
      tool: 'search',
    })
    expect(more.context).toEqual({ table: 'events', tool: 'search' })
    expect(more.cause).toBe(cause)
  })

  it('survives a job and a manifest', () => {
    const back = fromErrorDocument(error.toJSON())
    expect(back).toBeInstanceOf(RunError)
    expect(back.toJSON()).toEqual(error.toJSON())
  })

  it('is itself, whatever else was thrown is a bug', () => {
    expect(toRunError(error)).toBe(error)
    expect(toRunError(error, { server: 's' }).context).toMatchObject({ table: 'events', server: 's' })
    const thrown = new TypeError('x is not a function')
    expect(toRunError(thrown, { table: 't' })).toMatchObject({
      ...{ code: 'INTERNAL', kind: 'bug', message: 'unexpected: x is not a function', cause: thrown },
      context: { table: 't', hint: expect.stringContaining('report it') },
    })
    expect(toRunError('text')).toMatchObject({ code: 'INTERNAL', message: 'unexpected: text' })
  })
})
