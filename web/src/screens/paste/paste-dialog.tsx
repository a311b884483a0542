import { fold } from '@kith/contract/fold'
import { FILTER_CONDITIONS_MAX, PER_PAGE_MAX, BATCH_MAX as ROWS_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isBulkRunning } from '../../api/bulk.ts'
import { call } from '../../api/call.ts'
import { useMembers } from '../../api/members.ts'
import { nameOf, type RecordPage, recordsKey } from '../../api/records.ts'
import { useResource, useSchema } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Select } from '../../components/select.tsx'
import { Skeleton } from '../../components/states.tsx'
import { Switch } from '../../components/switch.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatCount, formatNumber } from '../../format/numbers.ts'
import { type Property, useProperties } from '../../properties/property.ts'
import { isEditable } from '../../properties/property-view.ts'
import { appearanceOf, counted } from '../../resources.ts'
import { ProblemTable } from '../import/problem-table.tsx'
import { startCreation } from './create-rows.ts'
import { discardPasted, keepPasted, noteBegun, type Pasted, usePasted } from './pasted.ts'
import {
  columnsOf,
  hasHeader,
  type NamedRecords,
  namesIn,
  readRow,
  settingsOf,
  type TableColumns,
} from './table-columns.ts'

const LEFT_OUT = 'left out'
const FIRST_ROW = 'The first row has the names of the columns'
/** So many rows are shown, those with problems first. */
const SHOWN = 30

/** The table that was pasted into a list, until its rows are created. */
export function PastedTable({ resource, visible }: { resource: ResourceName; visible: readonly Property[] }) {
  const table = usePasted(useSlug(), resource)
  return table ? <PasteDialog key={table.key} table={table} visible={visible} /> : null
}

/** What becomes of a pasted table: where its columns go, and what is wrong with which cell. */
function PasteDialog({ table, visible }: { table: Pasted; visible: readonly Property[] }) {
  const { slug, resource: type, rows: all } = table
  const resource = useResource(type)
  const words = appearanceOf(resource)
  const properties = useProperties(type).filter(isEditable)
  const [header, setHeader] = useState(() => hasHeader(all, properties, resource))
  const [chosen, setChosen] = useState<TableColumns>()
  const keys = chosen ?? columnsOf(all, { header, properties, visible, resource })
  const columns = keys.map((key) => properties.find((property) => property.key === key))
  const rows = header ? all.slice(1) : all
  const named = useNamed(slug, { rows, columns })
  const settings = settingsOf(rows, columns, resource)
  const read = rows.map((cells) => readRow(cells, { resource, columns, settings, named: named.byKey }))
  const hasNone = (index: number) => read[index]?.problems.size === 0
  const good = read.filter(({ problems }) => problems.size === 0)
  const bad = rows.length - good.length
  const discard = () => showToast({ message: 'Discarded the pasted table', undo: discardPasted(table) })
  const create = () => {
    if (isBulkRunning()) return showToast({ message: 'Another change of many records is still running.' })
    const sent = rows.filter((_, index) => hasNone(index))
    noteBegun(table, true)
    startCreation({
      ...{ slug, resource: type, words, key: table.key },
      rows: good.map(({ data }) => data),
      onEnd(results) {
        // Nobody knows whether it was stored: the same table can be sent again.
        if (!results) return noteBegun(table, false)
        discardPasted(table)
        const failed = results.filter(({ status }) => status >= 300)
        if (failed.length === 0) return
        const refused = failed.map(({ message = '', errors = {} }) => Object.values(errors).flat().join(' ') || message)
        const kept = failed.flatMap(({ index }) => (sent[index] ? [sent[index]] : []))
        const head = header ? all.slice(0, 1) : []
        keepPasted({ slug, resource: type, rows: [...head, ...kept], refused })
      },
    })
  }
  if (rows.length > ROWS_MAX) {
    return (
      <Dialog open closesAtOnce onOpenChange={discard} title="This table is too large to paste">
        <p className="text-sm">
          It has {formatCount(rows.length, 'row')}. At most {formatNumber(ROWS_MAX)} can be pasted. Save it as a file
          and{' '}
          <Link
            to="/$workspace/$resource/import"
            params={{ workspace: slug, resource: type }}
            onClick={() => discardPasted(table)}
            className="text-accent hover:underline"
          >
            import the file
          </Link>
          .
        </p>
      </Dialog>
    )
  }
  const places = read.map((_, index) => index)
  const order = [...places.filter((index) => !hasNone(index)), ...places.filter(hasNone)]
  return (
    <Dialog open wide closesAtOnce onOpenChange={discard} title={`Create ${words.many} from the pasted table`}>
      <div className="flex items-center gap-2 text-sm">
        <Switch
          aria-label={FIRST_ROW}
          checked={header}
          onCheckedChange={(on) => {
            setHeader(on)
            setChosen(undefined)
          }}
        />
        <span aria-hidden>{FIRST_ROW}</span>
      </div>
      <section aria-label="Columns" className="mt-3 grid max-h-44 gap-x-4 gap-y-1.5 overflow-y-auto sm:grid-cols-2">
        {keys.map((key, place) => {
          const name = (header ? all[0]?.[place] : '') || `Column ${place + 1}`
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table stay in their places
            <div key={place} className="flex min-w-0 items-center gap-2 text-sm">
              <span dir="auto" title={name} className="min-w-0 flex-1 truncate text-quiet">
                {name}
              </span>
              <Select
                label={`Where ${name} goes`}
                value={key ?? LEFT_OUT}
                onValueChange={(value) => setChosen(withColumn(keys, place, value === LEFT_OUT ? null : value))}
                choices={[
                  { value: LEFT_OUT, label: 'Leave out' },
                  ...properties.map((property) => ({ value: property.key, label: property.label })),
                ]}
                className="h-7! w-44! shrink-0"
              />
            </div>
          )
        })}
      </section>
      <div className="mt-3 max-h-[40dvh] overflow-y-auto">
        {!named.isKnown && <Skeleton className="w-1/2" />}
        {named.isKnown && (
          <ProblemTable
            label="Rows"
            columns={columns.flatMap((property, index) => (property ? [{ index, label: property.label }] : []))}
            rows={order.slice(0, SHOWN).map((index) => ({
              row: index + 1,
              cells: rows[index] ?? [],
              problems: withRefusal(read[index]?.problems ?? new Map(), table.refused?.[index]),
            }))}
          />
        )}
      </div>
      <p role="status" className="mt-3 text-sm text-quiet">
        {rows.length > SHOWN && `${formatNumber(SHOWN)} of ${formatCount(rows.length, 'row')} are shown. `}
        {named.isKnown && bad > 0 && `${formatCount(bad, 'row')} with problems will not be created.`}
      </p>
      <DialogActions>
        <Button onClick={discard}>Discard</Button>
        <Button look="primary" disabled={good.length === 0 || !named.isKnown} onClick={create}>
          Create {counted(good.length, words)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The service may find what cannot be seen here, such as a value that another record has. */
function withRefusal(problems: ReadonlyMap<number, string[]>, refusal: string | undefined) {
  return refusal === undefined ? problems : new Map([...problems, [-1, [refusal]]])
}

/** A property takes one column: the one that had it is left out. */
function withColumn(keys: TableColumns, place: number, key: string | null): TableColumns {
  return keys.map((one, index) => (index === place ? key : one === key ? null : one))
}

/** The records and members that the cells of references name. All are asked for together. */
function useNamed(
  slug: string,
  { rows, columns }: { rows: readonly string[][]; columns: readonly (Property | undefined)[] },
) {
  const schema = useSchema()
  const members = useMembers()
  const references = columns.flatMap((property, index) => {
    if (property?.kind !== 'reference' && property?.kind !== 'links') return []
    const names = new Set(rows.flatMap((row) => namesIn(row[index] ?? '', property)))
    return [{ key: property.key, to: property.to, names: [...names] }]
  })
  const asked = references.flatMap(({ to, names }) => {
    const label = schema.get(to)?.label
    if (label === undefined) return []
    // A name is compared exactly by `$eq`, and without letter case and accents by `$contains`.
    return partsOf(names).map((some) => {
      const filter = { $or: some.map((name) => ({ [label]: { $contains: name } })) }
      return { to, body: { filter, per_page: PER_PAGE_MAX } }
    })
  })
  const results = useQueries({
    queries: asked.map(({ to, body }) => ({
      queryKey: [...recordsKey(slug, to), 'named', body],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordPage>('POST', `/w/${slug}/v1/${to}/query`, { body, signal }),
    })),
  })
  const byKey = new Map(
    references.map(({ key, to }): [string, NamedRecords] => {
      const found = results.flatMap(({ data }, place) => (asked[place]?.to === to ? (data?.data ?? []) : []))
      const people =
        to === 'users'
          ? members.flatMap(({ id, name, email }) => [
              { id, name },
              { id, name: email },
            ])
          : []
      return [key, byName([...people, ...found.map((record) => ({ id: record.id, name: nameOf(record) }))])]
    }),
  )
  return { byKey, isKnown: results.every(({ data }) => data !== undefined) }
}

function byName(all: readonly { id: string; name: string }[]): NamedRecords {
  const names = new Map<string, string[]>()
  for (const { id, name } of all) {
    const ids = names.get(fold(name)) ?? []
    if (!ids.includes(id)) names.set(fold(name), [...ids, id])
  }
  return names
}

function partsOf(names: readonly string[]): string[][] {
  const count = Math.ceil(names.length / FILTER_CONDITIONS_MAX)
  return Array.from({ length: count }, (_, part) =>
    names.slice(part * FILTER_CONDITIONS_MAX, (part + 1) * FILTER_CONDITIONS_MAX),
  )
}
