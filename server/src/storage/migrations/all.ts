import { initial } from './0001-initial.ts'
import { changes } from './0002-changes.ts'
import { idempotencyKeys } from './0003-idempotency-keys.ts'
import { externalIds } from './0004-external-ids.ts'
import { rateLimitReset } from './0005-rate-limit-reset.ts'
import { merges } from './0006-merges.ts'
import { memberVersions } from './0007-member-versions.ts'
import { duplicateKeys } from './0008-duplicate-keys.ts'
import type { Migration } from './words.ts'

/** In the order in which they run. Forward only: a released migration never changes. */
export const migrations: readonly Migration[] = [
  initial,
  changes,
  idempotencyKeys,
  externalIds,
  rateLimitReset,
  merges,
  memberVersions,
  duplicateKeys,
]
