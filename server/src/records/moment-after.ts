/** The time of a change: now, but always later than the last change of these rows. */
export function momentAfter(scope: { now(): Date }, rows: readonly { updated_at: string }[]): string {
  const last = rows.reduce((latest, { updated_at }) => (updated_at > latest ? updated_at : latest), '')
  return new Date(Math.max(scope.now().getTime(), last === '' ? 0 : Date.parse(last) + 1)).toISOString()
}
