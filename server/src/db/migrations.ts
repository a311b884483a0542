import { foundation } from './migrations/0001-foundation.ts'
import { keyMoves } from './migrations/0002-key-moves.ts'
import { trashMergesAudit } from './migrations/0003-trash-merges-audit.ts'
import { application } from './migrations/0004-application.ts'
import { toolServer } from './migrations/0005-tool-server.ts'
import { indexBuilds } from './migrations/0006-index-builds.ts'
import { nameSpans } from './migrations/0007-name-spans.ts'
import { expectFields } from './migrations/0008-expect-fields.ts'
import { shortPendingList } from './migrations/0009-short-pending-list.ts'
import { freshTexts } from './migrations/0010-fresh-texts.ts'
import { referencesThatAreThere } from './migrations/0011-references-that-are-there.ts'
import { accounts } from './migrations/0012-accounts.ts'
import { strongerSignIn } from './migrations/0013-stronger-sign-in.ts'
import { workspaceMakers } from './migrations/0014-workspace-makers.ts'
import type { Migration } from './migrations/words.ts'

/** In the order in which they are run. Forward only: one that has been released is never changed. */
export const migrations: readonly Migration[] = [
  foundation,
  keyMoves,
  trashMergesAudit,
  application,
  toolServer,
  indexBuilds,
  nameSpans,
  expectFields,
  shortPendingList,
  freshTexts,
  referencesThatAreThere,
  accounts,
  strongerSignIn,
  workspaceMakers,
]
