import { useQuery } from '@tanstack/react-query'
import { endingWebhooksQuery, type WebhookOwner } from '../../api/webhooks.ts'
import { useSlug } from '../../api/workspace.ts'

/** Part of a question: the webhooks that are disabled if the answer is yes. Nothing if there are none. */
export function EndingWebhooks({ endsWith }: { endsWith: WebhookOwner }) {
  const { data: ending = [] } = useQuery(endingWebhooksQuery(useSlug(), endsWith))
  if (ending.length === 0) return null
  return (
    <div className="mt-3 grid gap-1.5">
      <p>
        {ending.length === 1 ? 'This webhook is' : `These ${ending.length} webhooks are`} disabled, and nothing more is
        sent there:
      </p>
      <ul aria-label="Webhooks that are disabled" className="grid max-h-40 gap-1 overflow-y-auto">
        {ending.map(({ id, url, description }) => (
          <li key={id} className="rounded-md bg-sunk px-2 py-1 text-ink">
            {description !== null && <span className="block font-medium wrap-anywhere">{description}</span>}
            <span className="block font-mono text-xs wrap-anywhere">{url}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
