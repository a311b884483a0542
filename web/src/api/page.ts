/** A page of a list that belongs to the application alone. */
export type PageOf<Row> = { data: Row[]; meta: { total: number; page: number; per_page: number } }

/** The parameters of an address, without those that are not said. */
export function searchOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const said = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return said.length === 0 ? '' : `?${new URLSearchParams(said)}`
}
