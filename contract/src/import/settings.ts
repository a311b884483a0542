/** How an import reads its file and writes its rows. */
export const importFormats = ['csv', 'ndjson'] as const
export const importModes = ['create', 'update', 'upsert'] as const
export const blankRules = ['keep', 'clear'] as const
export const dateOrders = ['iso', 'dmy', 'mdy'] as const
export const decimalMarks = ['.', ','] as const

export type ImportFormat = (typeof importFormats)[number]
export type ImportMode = (typeof importModes)[number]

/** Column → target, or null to leave the column out. */
export type Mapping = Readonly<Record<string, string | null>>

/** How the cells of CSV are read. */
export type CellSettings = {
  /** The effect of an empty cell on an existing value. */
  blank: (typeof blankRules)[number]
  /** The order of day, month and year. */
  dates: (typeof dateOrders)[number]
  decimal: (typeof decimalMarks)[number]
}
