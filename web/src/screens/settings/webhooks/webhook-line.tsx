import { roleMay } from '@kith/contract/permissions'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useMembers } from '../../../api/members.ts'
import { useSchema } from '../../../api/schema.ts'
import type { Webhook } from '../../../api/webhooks.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Pill } from '../../../components/pill.tsx'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { failedLast, lagWords, reasonWords, stateWords, typesInWords } from './webhook-words.ts'

/** A webhook: its address, its events, its state, and how far behind it is. */
export function WebhookLine({ webhook: { id, attributes } }: { webhook: Webhook }) {
  const { url, description, types, state, reason } = attributes
  const { label, tint } = stateWords[state]
  return (
    <li>
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: useSlug(), page: 'webhooks' }}
        search={{ webhook: id }}
        className="-mx-2 flex items-start gap-3 rounded-md px-2 py-3 hover:bg-hover"
      >
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium" title={url}>
            {url}
          </p>
          {description !== null && (
            <p dir="auto" className="truncate text-sm text-quiet">
              {description}
            </p>
          )}
          <p className="mt-0.5 line-clamp-2 text-xs text-faint">{typesInWords(useSchema(), types)}</p>
          {reason !== null && <p className="mt-1 text-xs text-danger">{reasonWords[reason].why}</p>}
          <p className="mt-1 text-xs text-faint">
            <Progress attributes={attributes} />
            <Creator id={attributes.creator_id} />
          </p>
        </div>
        <Pill tint={tint}>{label}</Pill>
      </Link>
    </li>
  )
}

/** How far it is, the last success and the last failure. A failure that no success followed is marked. */
export function Progress({ attributes }: Pick<Webhook, 'attributes'>) {
  const { last_success_at: success, last_failure_at: failure } = attributes
  const parts = [
    <span key="lag">{lagWords(attributes)}</span>,
    ...(success === null ? [] : [<Moment key="success" what="Last success" at={success} />]),
    ...(failure === null
      ? []
      : [<Moment key="failure" what="Last failure" at={failure} bad={failedLast(attributes)} />]),
    ...(success === null && failure === null ? [<span key="none">Nothing sent yet</span>] : []),
  ]
  return parts.map((part, place) => (
    <Fragment key={part.key}>
      {place > 0 && ' · '}
      {part}
    </Fragment>
  ))
}

function Moment({ what, at, bad = false }: { what: string; at: string; bad?: boolean }) {
  return (
    <time dateTime={at} title={formatMomentExactly(at)} className={bad ? 'text-danger' : undefined}>
      {what} {formatAgo(at)}
    </time>
  )
}

/** Whose webhook it is, for those who see those of others. */
function Creator({ id }: { id: string | null }) {
  const members = useMembers()
  const { role } = useWorkspace()
  const creator = members.find((one) => one.id === id)
  return creator && roleMay(role, 'see_all_webhooks') ? <> · By {creator.name}</> : null
}
