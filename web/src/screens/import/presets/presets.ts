import type { ResourceName } from '@kith/contract/resource'
import { attio, googleContacts, hubspot, type PresetFile, pipedrive, salesforce } from './programs.ts'

const presets = [hubspot, pipedrive, salesforce, attio, googleContacts]

/** A recognised export of another program. */
export type PresetMatch = {
  product: string
  resource: ResourceName
  match: string | undefined
  /** The columns that it maps, the best for a target first. */
  targetsIn(header: readonly string[]): { index: number; target: string }[]
}

/** The exports that a header may be. One file can hold deals and their organizations, so there may be several. */
export function presetsFor(header: readonly string[]): PresetMatch[] {
  const names = new Set(header.map(folded))
  return presets.flatMap(({ product, files }) => {
    const found = files.filter(({ has }) => has.every((name) => names.has(folded(name))))
    return found.map((file) => ({
      product,
      resource: file.resource,
      match: file.match,
      targetsIn: (header: readonly string[]) => targetsIn(file, header),
    }))
  })
}

/** The export of a resource that a header is. */
export function presetFor(header: readonly string[], resource: ResourceName): PresetMatch | undefined {
  return presetsFor(header).find((found) => found.resource === resource)
}

function targetsIn({ columns }: PresetFile, header: readonly string[]): { index: number; target: string }[] {
  return Object.entries(columns).flatMap(([name, target]) =>
    header.flatMap((column, index) => (isColumn(name, column) ? [{ index, target }] : [])),
  )
}

/** `#` in the name of a preset is any number. */
function isColumn(name: string, column: string): boolean {
  const sent = folded(column)
  if (!name.includes('#')) return folded(name) === sent
  return folded(name.replace('#', '1')) === sent.replace(/\d+/, '1')
}

function folded(name: string): string {
  return name.trim().toLowerCase()
}
