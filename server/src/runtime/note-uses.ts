const EVERY_MS = 60_000
const REMEMBERED_MAX = 10_000

/** Who or what was used: a token or a session. */
type Use = { id: string; last_used_at: string | null }

/** Writes when something was last used, at most once a minute for each id, without delaying the request. */
export function noteUses<T>(
  useOf: (used: T) => Use,
  write: (used: T, now: Date) => Promise<void>,
  onFailure: (error: unknown) => void,
): (used: T, now: Date) => void {
  const noted = new Map<string, number>()
  return (used, now) => {
    const { id, last_used_at } = useOf(used)
    const last = noted.get(id) ?? (last_used_at === null ? 0 : Date.parse(last_used_at))
    if (now.getTime() - last < EVERY_MS) return
    if (noted.size > REMEMBERED_MAX) noted.clear()
    noted.set(id, now.getTime())
    write(used, now).catch(onFailure)
  }
}
