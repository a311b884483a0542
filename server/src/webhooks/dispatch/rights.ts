import { creatorRights } from '../../accounts/creator-rights.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'

/** With whose rights an endpoint reads. `paused`: not now. `none`: its creator has left, or the workspace is gone. */
type Rights = ScopeFacts | 'paused' | 'none'

/** For how long rights are not looked up again. */
const KNOWN_MS = 1000

/** Reads the rights of an endpoint's creator, at most once a second. */
export function rightsOf(engine: Engine, hosted: boolean): (webhook: WebhookRow, now: Date) => Promise<Rights> {
  let known: { at: number; rights: Rights } | undefined
  return async (webhook, now) => {
    if (known && now.getTime() - known.at < KNOWN_MS) return known.rights
    const rights = await readRights(engine, webhook, { hosted, now })
    known = { at: now.getTime(), rights }
    return rights
  }
}

type Asking = { hosted: boolean; now: Date }

async function readRights({ db }: Engine, webhook: WebhookRow, asking: Asking): Promise<Rights> {
  const rights = await creatorRights(db, webhook, asking)
  if (rights === 'none' || rights === 'paused') return rights
  const { creator_id: user_id, token_id } = webhook
  return {
    workspace: rights.workspace,
    actor: { user_id, role: rights.role, abilities: ['read'], token_id, source: 'api' },
  }
}
