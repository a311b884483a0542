import { foundation } from './0001-foundation.ts'
import { keyMoves } from './0002-key-moves.ts'
import { trashMergesAudit } from './0003-trash-merges-audit.ts'
import { application } from './0004-application.ts'
import { toolServer } from './0005-tool-server.ts'
import { indexBuilds } from './0006-index-builds.ts'
import { nameSpans } from './0007-name-spans.ts'
import { expectFields } from './0008-expect-fields.ts'
import { shortPendingList } from './0009-short-pending-list.ts'
import { freshTexts } from './0010-fresh-texts.ts'
import { referencesThatAreThere } from './0011-references-that-are-there.ts'
import { accounts } from './0012-accounts.ts'
import { strongerSignIn } from './0013-stronger-sign-in.ts'
import { workspaceMakers } from './0014-workspace-makers.ts'
import type { Migration } from './words.ts'

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
