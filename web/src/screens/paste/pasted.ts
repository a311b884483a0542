import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import { createStore, useStore } from '../../store.ts'
import { tableIn } from './read-table.ts'

/** A table that was pasted into a list. It stays in this tab until its rows are created or it is discarded. */
export type Pasted = {
  slug: string
  /** Nobody else who signs in here sees it. */
  user: string | null
  resource: ResourceName
  rows: string[][]
  /** Of the request that creates the rows: the same one again creates nothing twice. */
  key: string
  /** Why the service refused a row, by its place. */
  refused?: Readonly<Record<number, string>>
  /** Its rows are being created. */
  isBegun?: boolean
}

/** A list looks whether there is something. */
const PLACE = 'kith.pasted'

const pasted = createStore<Pasted | undefined>(stored())

export function usePasted(slug: string, resource: ResourceName): Pasted | undefined {
  const table = useStore(pasted)
  const isHere = table?.slug === slug && table.resource === resource && table.user === userHere()
  return isHere && !table.isBegun ? table : undefined
}

/** Keeps what was pasted, if it is a table. */
export function takeTable(taken: { slug: string; resource: ResourceName; text: string; html: string }): void {
  const { slug, resource, text, html } = taken
  const rows = tableIn(text, html === '' ? undefined : new DOMParser().parseFromString(html, 'text/html'))
  if (rows) keepPasted({ slug, resource, rows })
}

export function keepPasted(table: Omit<Pasted, 'key' | 'user'>): void {
  put({ ...table, user: userHere(), key: newId(Date.now()) })
}

/** As the drafts know it. */
function userHere(): string | null {
  return localStorage.getItem('kith.user')
}

/** Whether the rows are being created. The table stays in the storage until the service has answered. */
export function noteBegun(table: Pasted, isBegun: boolean): void {
  if (pasted.get()?.key === table.key) pasted.set({ ...table, isBegun })
}

/** Forgets a table, unless another one was pasted since. Returns the way back. */
export function discardPasted(table: Pasted): () => void {
  if (pasted.get()?.key === table.key) put(undefined)
  return () => put(table)
}

function put(table: Pasted | undefined): void {
  pasted.set(table)
  try {
    if (table) sessionStorage.setItem(PLACE, JSON.stringify(table))
    else sessionStorage.removeItem(PLACE)
  } catch {
    // There is no room for it. It stays until the page is loaded again.
  }
}

function stored(): Pasted | undefined {
  try {
    // Only this module writes there.
    return JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
