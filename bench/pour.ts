import { Agent, request as open } from 'node:http'

export type Target = { url: string; tokens: readonly string[]; ids: readonly string[] }

export type Outcome = {
  seconds: number
  answered: number
  refused: number
  failed: number
  times: number[]
  writeTimes: number[]
  reasons: Map<string, number>
}

/** A number of requests at a time, or a number per second, even if earlier ones are not answered yet. */
export type Flow = { seconds: number } & ({ atOnce: number } | { rate: number })

const agent = new Agent({ keepAlive: true, maxSockets: 2000 })
let turn = 0

/** Sends a mix of requests: of twenty, twelve reads by id, four lists, one filter, two creates and an upsert. */
export async function pour(target: Target, flow: Flow): Promise<Outcome> {
  const outcome: Outcome = {
    seconds: flow.seconds,
    answered: 0,
    refused: 0,
    failed: 0,
    times: [],
    writeTimes: [],
    reasons: new Map(),
  }
  const started = performance.now()
  const until = started + flow.seconds * 1000
  if ('atOnce' in flow) {
    const clients = Array.from({ length: flow.atOnce }, async () => {
      while (performance.now() < until) await one(target, outcome)
    })
    await Promise.all(clients)
  } else {
    const pending = new Set<Promise<void>>()
    for (let sent = 0; performance.now() < until; ) {
      const due = Math.floor(((performance.now() - started) / 1000) * flow.rate)
      for (; sent < due; sent++) {
        const sending = one(target, outcome).finally(() => pending.delete(sending))
        pending.add(sending)
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await Promise.all(pending)
  }
  outcome.seconds = (performance.now() - started) / 1000
  return outcome
}

async function one({ url, tokens, ids }: Target, outcome: Outcome): Promise<void> {
  const number = turn++
  const request = mixed(number, ids)
  const started = performance.now()
  const status = await send(url, tokens[number % tokens.length] ?? '', request)
  if (status === 503) outcome.refused++
  else if (typeof status === 'string' || status >= 400) {
    outcome.failed++
    outcome.reasons.set(String(status), (outcome.reasons.get(String(status)) ?? 0) + 1)
  } else {
    outcome.answered++
    const took = performance.now() - started
    outcome.times.push(took)
    if (number % 20 > 16) outcome.writeTimes.push(took)
  }
}

type Request = { method: string; path: string; body?: string }

function mixed(number: number, ids: readonly string[]): Request {
  const kind = number % 20
  if (kind < 12) return { method: 'GET', path: `/companies/${ids[number % ids.length]}` }
  if (kind < 16) return { method: 'GET', path: `/companies?page=${1 + (number % 50)}` }
  if (kind === 16)
    return {
      method: 'POST',
      path: '/companies/query',
      body: JSON.stringify({ filter: { name: { $contains: 'labs' } } }),
    }
  if (kind < 19) return { method: 'POST', path: '/people', body: JSON.stringify({ name: `Soak ${number}` }) }
  const match = { field: 'domains', value: `soak-${number % 500}.example` }
  return { method: 'POST', path: '/companies/upsert', body: JSON.stringify({ name: `Soak ${number}`, match }) }
}

function send(url: string, token: string, { method, path, body }: Request): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    }
    const sent = open(url + path, { method, headers, agent }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 'no status'))
      answer.on('error', (error) => resolve(error.message))
    })
    sent.on('error', (error) => resolve(error.message))
    sent.end(body)
  })
}
