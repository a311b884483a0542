import { CUSTOM_FIELDS } from '@kith/contract/resource'
import type { Subject } from './filter-tree.ts'

/** The name of a subject that may be a relation. */
export function nameIn(subject: Subject | undefined): string {
  if (subject?.kind === 'native') return subject.name
  return subject?.kind === 'custom' ? CUSTOM_FIELDS + subject.code : ''
}
