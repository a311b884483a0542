import type { ResourceName } from '@kith/contract/resource'

/** How a program names the columns of a file that it exports. */
export type PresetFile = {
  resource: ResourceName
  /** Headers that together tell that a file is this export. */
  has: readonly string[]
  /** Column → target. `#` is any number. Other columns are left out until the user maps them. */
  columns: Readonly<Record<string, string>>
  /** By which the records are found when the file is imported again. */
  match?: string
}

export type Preset = { product: string; files: readonly PresetFile[] }
