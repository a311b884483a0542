/** The last months up to this one, as `2026-11`, in UTC as the service counts them. */
export function lastMonths(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index), 1))
    return first.toISOString().slice(0, 7)
  })
}

export function monthName(month: string, length: 'short' | 'long'): string {
  const year = length === 'long' ? { year: 'numeric' as const } : {}
  return new Intl.DateTimeFormat(undefined, { month: length, ...year, timeZone: 'UTC' }).format(new Date(`${month}-01`))
}
