import type { Target } from './load.ts'

/** 25 changes a second: no response can be reused for longer than 40 ms. */
const INTERVAL_MS = 40
const PENDING_MAX = 25

export type Writer = { stop(): Promise<void> }

/** Changes the name and one custom field of a few records in turn, until it is stopped. */
export function startWriter({ api, token }: Target, companies: readonly { id: string; name: string }[]): Writer {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const pending = new Set<Promise<void>>()
  let changes = 0
  const change = async () => {
    const { id, name } = companies[changes % companies.length] ?? { id: '', name: '' }
    const body = JSON.stringify({ name: `${name} ${changes}`, custom_fields: { employees: changes++ } })
    const response = await fetch(`${api}/companies/${id}`, { method: 'PATCH', headers, body })
    const text = await response.text()
    if (!response.ok) console.error(`The writer got ${response.status}: ${text}`)
  }
  const timer = setInterval(() => {
    if (pending.size >= PENDING_MAX) return
    const one = change().finally(() => pending.delete(one))
    pending.add(one)
  }, INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
    },
  }
}
