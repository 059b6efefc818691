import { openQueue, type Producer } from '@huntfleet/queue'

/** Prometheus text exposition format, version 0.0.4. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

interface Metric {
  name: string
  type: 'gauge' | 'counter'
  help: string
  samples: { labels: Readonly<Record<string, string>>; value: number }[]
}

/** The fleet in numbers: jobs per queue and state, jobs that ended, live workers per server. */
export async function metricsPage(producer: Producer): Promise<string> {
  const jobs: Metric = {
    name: 'huntfleet_jobs',
    type: 'gauge',
    help: 'Jobs by queue and state.',
    samples: [],
  }
  const ended: Metric = {
    name: 'huntfleet_jobs_ended_total',
    type: 'counter',
    help: 'Jobs that ended, by queue and result; a failed table is a completed job.',
    samples: [],
  }
  for (const name of await producer.listQueues()) {
    const queue = openQueue(producer.fleet, name)
    try {
      for (const [state, value] of Object.entries(await queue.getJobCounts())) {
        jobs.samples.push({ labels: { queue: name, state }, value })
      }
      for (const result of ['completed', 'failed'] as const) {
        const { meta } = await queue.getMetrics(result, 0, 0)
        ended.samples.push({ labels: { queue: name, result }, value: meta.count })
      }
    } finally {
      await queue.close()
    }
  }
  return [jobs, ended, await workersOf(producer)].map(render).join('')
}

async function workersOf(producer: Producer): Promise<Metric> {
  const counts = new Map<string, number>()
  for (const { servers } of await producer.liveWorkers()) {
    for (const server of servers) counts.set(server, (counts.get(server) ?? 0) + 1)
  }
  const samples = [...counts].map(([server, value]) => ({ labels: { server }, value }))
  return {
    name: 'huntfleet_workers',
    type: 'gauge',
    help: 'Live workers by server that they serve.',
    samples,
  }
}

function render({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
    return `${name}{${pairs.join(',')}} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escapeLabel(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
