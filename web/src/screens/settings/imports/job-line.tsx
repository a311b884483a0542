import { Link } from '@tanstack/react-router'
import type { Job } from '../../../api/jobs.ts'
import { useMembers, useSlug } from '../../../api/workspace.ts'
import { Pill } from '../../../components/pill.tsx'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { appearances } from '../../../resources.ts'
import { kindOf, outcomeOf, stateWords } from './job-words.ts'

export function JobLine({ job }: { job: Job }) {
  const { resource, name, state, created_at, creator_id } = job.attributes
  const creator = useMembers().find(({ id }) => id === creator_id)
  const { icon: Icon } = appearances[resource]
  const { label, tint } = stateWords[state]
  return (
    <li>
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: useSlug(), page: 'imports' }}
        search={{ job: job.id }}
        className="flex items-center gap-3 py-2.5 hover:bg-hover"
      >
        <Icon aria-hidden className="size-4 shrink-0 text-faint" />
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-sm font-medium">
            {name ?? kindOf(job)}
          </p>
          <p className="truncate text-xs text-faint">
            {kindOf(job)} · {outcomeOf(job)} ·{' '}
            <time dateTime={created_at} title={formatMomentExactly(created_at)}>
              {formatAgo(created_at)}
            </time>
            {creator && ` by ${creator.name}`}
          </p>
        </div>
        <Pill tint={tint}>{label}</Pill>
      </Link>
    </li>
  )
}
