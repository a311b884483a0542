import type { ResourceName } from '@kith/contract/resource'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { type Feed, useChangesFeed } from '../../../api/changes-feed.ts'
import { useSlug } from '../../../api/workspace.ts'
import { CodeBlock } from '../../../components/code-block.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Select } from '../../../components/select.tsx'
import { isResourceName } from '../../../resources.ts'
import { FilterPopover } from '../../records/filter/filter-popover.tsx'
import type { FilterObject } from '../../records/list-state.ts'
import { Page, Rows, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { ChangeLine } from './change-line.tsx'
import { feedResources, feedWords } from './feed-words.ts'

const ALL = 'all'

/** The changes feed, live: what integrations read, and the position to go on from. */
export function Sync() {
  const { of, filter } = useSearch({ strict: false })
  const resource = feedResources.find((one) => one === of)
  const conditions = resource && isResourceName(resource) ? filter : undefined
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

/** What is followed. The choice is part of the address. */
function Choice({ resource, filter }: { resource: string | undefined; filter: FilterObject | undefined }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const show = (of: string | undefined, next?: FilterObject) =>
    navigate({ to: '.', search: { ...(of !== undefined && { of }), ...(next && { filter: next }) }, replace: true })
  return (
    <div className="flex gap-2">
      {resource !== undefined && isResourceName(resource) && (
        <FilterPopover
          key={resource}
          resource={resource satisfies ResourceName}
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
            ...feedResources.map((one) => ({ value: one, label: feedWords(one).many })),
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
