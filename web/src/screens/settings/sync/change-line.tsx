import { Link } from '@tanstack/react-router'
import type { Followed } from '../../../api/changes-feed.ts'
import { useMembers, useSlug } from '../../../api/workspace.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Pill } from '../../../components/pill.tsx'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { isResourceName } from '../../../resources.ts'
import { sourceWords } from '../../audit/audit-words.ts'
import { feedWords, kindTints } from './feed-words.ts'

/** One entry of the feed: what happened, to what, by whom, and its position to copy. */
export function ChangeLine({ entry }: { entry: Followed }) {
  const { sequence, kind, resource, at, changed } = entry.attributes
  const { icon: Icon, one } = feedWords(resource)
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
          <time dateTime={at} title={formatMomentExactly(at)}>
            {formatAgo(at)}
          </time>
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

function Subject({ entry: { attributes } }: { entry: Followed }) {
  const slug = useSlug()
  const { resource, record_id, record } = attributes
  const name = nameIn(record?.attributes)
  if (name === undefined) return <span className="font-mono text-xs wrap-anywhere text-faint">{record_id}</span>
  if (!isResourceName(resource)) return <span className="wrap-anywhere">{name}</span>
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

function Origin({ entry: { attributes } }: { entry: Followed }) {
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
