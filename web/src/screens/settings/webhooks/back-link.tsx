import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useSlug } from '../../../api/workspace.ts'

/** Back to all webhooks, or to one of them. */
export function BackLink({ webhook }: { webhook?: string | undefined }) {
  return (
    <Link
      to="/$workspace/settings/$page"
      params={{ workspace: useSlug(), page: 'webhooks' }}
      search={webhook === undefined ? {} : { webhook }}
      className="inline-flex items-center gap-1 text-sm text-quiet hover:text-ink [&_svg]:size-4"
    >
      <ChevronLeft aria-hidden />
      {webhook === undefined ? 'Webhooks' : 'Webhook'}
    </Link>
  )
}
