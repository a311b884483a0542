import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { type Feed, type FeedChange, useChangesFeed } from '../../../api/changes.ts'
import { useMembers } from '../../../api/members.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { CodeBlock, CopyButton } from '../../../components/copy.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Select } from '../../../components/select.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { sourceWords } from '../../audit/audit-words.ts'
import { FilterPopover } from '../../records/filter/filter-popover.tsx'
import type { FilterObject } from '../../records/list-state.ts'
import { Page, RowSkeletons, Rows, Section } from '../page.tsx'
import { feedResources, feedWords, kindTints } from './feed-words.ts'

const ALL = 'all'

/** The changes feed, live, as integrations read it, and the position to continue from. */
export function Sync() {
  const { of, filter } = useSearch({ strict: false })
  const schema = useSchema()
  const resource = feedResources(schema).find((one) => one === of)
  const conditions = resource && schema.has(resource) ? filter : undefined
  const feed = useChangesFeed(useSlug(), { resource, filter: conditions })
  return (
    <Page
      title="Sync"
      text="Every change in this workspace, in the order in which integrations read it from the changes feed."
      action={<Choice resource={resource} filter={conditions} />}
    >
      {feed.state !== 'failed' && (
        <Section
          title="Cursor"
          text="The position after the latest change. An integration that begins here gets everything that comes later."
        >
          {feed.cursor === undefined ? (
            <RowSkeletons count={1} />
          ) : (
            <CodeBlock text={feed.cursor} label="Cursor of the latest change" />
          )}
        </Section>
      )}
      <Section title="Latest changes" extra={<State state={feed.state} />}>
        <Changes feed={feed} onRetry={feed.restart} />
      </Section>
    </Page>
  )
}

/** The followed resource. The choice is part of the address. */
function Choice({ resource, filter }: { resource: string | undefined; filter: FilterObject | undefined }) {
  const navigate = useNavigate()
  const schema = useSchema()
  const [open, setOpen] = useState(false)
  const show = (of: string | undefined, next?: FilterObject) =>
    navigate({ to: '.', search: { ...(of !== undefined && { of }), ...(next && { filter: next }) }, replace: true })
  return (
    <div className="flex gap-2">
      {resource !== undefined && schema.has(resource) && (
        <FilterPopover
          key={resource}
          resource={resource}
          filter={filter}
          onFilter={(next) => show(resource, next)}
          open={open}
          onOpenChange={setOpen}
        />
      )}
      <div className="w-44">
        <Select
          label="What the changes are about"
          value={resource ?? ALL}
          onValueChange={(of) => show(of === ALL ? undefined : of)}
          choices={[
            { value: ALL, label: 'Everything' },
            ...feedResources(schema).map((one) => ({ value: one, label: feedWords(schema, one).name })),
          ]}
        />
      </div>
    </div>
  )
}

const states = {
  connecting: { words: 'Connecting…', dot: 'bg-faint' },
  live: { words: 'Live', dot: 'bg-success' },
  failed: { words: 'Not connected', dot: 'bg-danger' },
}

function State({ state }: Pick<Feed, 'state'>) {
  const { words, dot } = states[state]
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-quiet">
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {words}
    </p>
  )
}

function Changes({ feed: { state, entries, error }, onRetry }: { feed: Feed; onRetry(): void }) {
  if (state === 'failed') return <ErrorState error={error} onRetry={onRetry} />
  if (entries.length > 0) {
    return (
      <Rows label="Changes">
        {entries.map((entry) => (
          <ChangeLine key={`${entry.cursor}`} entry={entry} />
        ))}
      </Rows>
    )
  }
  if (state === 'connecting') return <RowSkeletons count={6} />
  return (
    <EmptyState
      icon={RefreshCw}
      title="No recent changes"
      text="Create or change a record, here or through the API: it appears within two seconds."
    />
  )
}

/** One entry of the feed: the change, the record, the member, and the position to copy. */
function ChangeLine({ entry }: { entry: FeedChange }) {
  const { sequence, kind, resource, at, changed } = entry.attributes
  const { icon: Icon, one } = feedWords(useSchema(), resource)
  return (
    <li className="flex items-start gap-3 py-2.5">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
          <Pill tint={kindTints[kind] ?? 'gray'}>{kind}</Pill>
          <span className="text-quiet">{one}</span>
          <Subject entry={entry} />
        </p>
        {changed.length > 0 && <p className="mt-1 font-mono text-xs wrap-anywhere text-quiet">{changed.join(', ')}</p>}
        <p className="mt-1 text-xs text-faint">
          {sequence !== null && <span className="tabular-nums">#{sequence} · </span>}
          <Moment at={at} />
          <Origin entry={entry} />
        </p>
      </div>
      <CopyButton
        text={entry.cursor}
        label="Cursor"
        look="quiet"
        aria-label={sequence === null ? 'Copy the cursor' : `Copy the cursor of change ${sequence}`}
      />
    </li>
  )
}

function Subject({ entry: { attributes } }: { entry: FeedChange }) {
  const slug = useSlug()
  const schema = useSchema()
  const { resource, record_id, record } = attributes
  const name = nameIn(record?.attributes)
  if (name === undefined) return <span className="font-mono text-xs wrap-anywhere text-faint">{record_id}</span>
  if (!schema.has(resource)) return <span className="wrap-anywhere">{name}</span>
  return (
    <Link
      to="/$workspace/$resource/$id"
      params={{ workspace: slug, resource, id: record_id }}
      dir="auto"
      className="wrap-anywhere underline-offset-2 hover:underline"
    >
      {name}
    </Link>
  )
}

function Origin({ entry: { attributes } }: { entry: FeedChange }) {
  const members = useMembers()
  const { origin } = attributes
  if (origin === null) return null
  const actor = members.find(({ id }) => id === origin.actor_id)?.name
  return (
    <>
      {' · '}
      {sourceWords({ source: origin.source, token: null })}
      {actor !== undefined && `, ${actor}`}
    </>
  )
}

function nameIn(attributes: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = attributes?.name ?? attributes?.title
  return typeof name === 'string' ? name : undefined
}
