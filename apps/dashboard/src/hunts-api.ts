import { RunError } from '@huntfleet/contract'
import { huntDocument, listSchedule, type Producer, slotDocument, slotHistory } from '@huntfleet/queue'
import type { FastifyInstance } from 'fastify'

/** How many slots one answer holds. */
const mostSlots = 1_000

/** `GET /api/hunts` and `GET /api/hunts/:hunt/slots?limit=N`: what `huntfleet schedule list|history --json` print. */
export function serveHunts(app: FastifyInstance, { fleet }: Producer): void {
  app.get('/api/hunts', async () => ({
    hunts: (await listSchedule(fleet)).map(huntDocument),
  }))
  app.get<{ Params: { hunt: string }; Querystring: { limit?: string } }>(
    '/api/hunts/:hunt/slots',
    async ({ params, query }, reply) => {
      const limit = Number(query.limit ?? 50)
      if (!Number.isInteger(limit) || limit < 1 || limit > mostSlots)
        return reply.code(400).send({ error: `limit is a whole number from 1 to ${mostSlots}` })
      try {
        return { slots: (await slotHistory(fleet, params.hunt, limit)).map(slotDocument) }
      } catch (thrown) {
        if (!(thrown instanceof RunError) || thrown.code !== 'HUNT_NOT_FOUND') throw thrown
        return reply.code(404).send({ error: thrown.message })
      }
    },
  )
}
