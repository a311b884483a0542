import type { JobState } from '@kith/contract/jobs'
import type { Job } from '../../../api/jobs.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { appearances } from '../../../resources.ts'

/** What a job is, without its file. */
export function kindOf({ attributes: { type, dry_run, resource } }: Job): string {
  const many = appearances[resource].many.toLowerCase()
  if (type === 'undo') return `Undo of an import of ${many}`
  return dry_run ? `Check of ${many}` : `Import of ${many}`
}

export const stateWords: Readonly<Record<JobState, { label: string; tint: string }>> = {
  waiting: { label: 'Waiting for its file', tint: 'gray' },
  queued: { label: 'Queued', tint: 'gray' },
  running: { label: 'Running', tint: 'blue' },
  done: { label: 'Done', tint: 'green' },
  failed: { label: 'Failed', tint: 'red' },
  cancelled: { label: 'Cancelled', tint: 'gray' },
}

/** What became of the rows, in words: "120 created, 3 failed". */
export function outcomeOf({ attributes: { progress, dry_run, type } }: Job): string {
  const { created, updated, unchanged, failed } = progress
  const words: [number, string][] =
    type === 'undo'
      ? [
          [updated, 'undone'],
          [failed, 'left as they are'],
        ]
      : [
          [created, dry_run ? 'to create' : 'created'],
          [updated, dry_run ? 'to update' : 'updated'],
          [unchanged, 'unchanged'],
          [failed, dry_run ? 'with problems' : 'failed'],
        ]
  const said = words.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return said.length === 0 ? 'Nothing yet' : said.join(', ')
}
