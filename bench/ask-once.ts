import type { Target } from './load.ts'

/** Asks the last of a target's questions once: how long it took, and the total it was answered, if any. */
export async function askOnce({ url, token, method, requests }: Target): Promise<{ ms: number; total?: number }> {
  const { path, body } = requests.at(-1) ?? { path: '' }
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const started = performance.now()
  const response = await fetch(url + path, { method, headers, body })
  // A list has its total; all else is asked for nothing here.
  const { meta } = (await response.json()) as { meta?: { total?: number } }
  return { ms: Math.round((performance.now() - started) * 10) / 10, total: meta?.total }
}
