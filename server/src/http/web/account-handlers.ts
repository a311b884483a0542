import { refuse } from '@kith/contract/refusal'
import { enterAsMember } from '../../accounts/enter-workspace.ts'
import { createOwnWorkspace, updateProfile } from '../../accounts/own-account.ts'
import { readSession } from '../../accounts/read-session.ts'
import { endOtherSessions, endSession, listSessions, type SessionHolder } from '../../accounts/sessions.ts'
import { setUp } from '../../accounts/set-up.ts'
import type { Answer } from '../../answer.ts'
import { loadFirstSample } from '../../sample/first.ts'
import type { House } from '../../scope.ts'
import { answerData, bodyOf, noContent, paramOf, type WebRequest } from './web-request.ts'

/** Who asks: a user in a session, or nobody yet. */
export type Asker = SessionHolder | null

export type AccountRequest = WebRequest & { handler: AccountHandlerName }

export type AccountHandlerName = keyof typeof accountHandlers

/** What a person does outside of any workspace. */
export const accountHandlers = {
  'set-up': async (house: House, _asker: Asker, request: WebRequest): Promise<Answer> => {
    const { user, workspace, sample } = await setUp(house, bodyOf(request))
    if (sample) await loadFirstSample(await enterAsMember(house, workspace.slug, user.id, 'sample'))
    return answerData({ slug: workspace.slug }, 201)
  },
  session: async (house, asker) => answerData(await readSession(house, known(asker))),
  'update-profile': async (house, asker, request) =>
    answerData(await updateProfile(house, known(asker), bodyOf(request))),
  sessions: async (house, asker) => answerData(await listSessions(house, known(asker))),
  'end-session': async (house, asker, request) => {
    await endSession(house, known(asker), paramOf(request, 'id'))
    return noContent
  },
  'end-other-sessions': async (house, asker) => {
    await endOtherSessions(house, known(asker))
    return noContent
  },
  'create-workspace': async (house, asker, request) =>
    answerData(await createOwnWorkspace(house, known(asker), bodyOf(request)), 201),
} satisfies Record<string, (house: House, asker: Asker, request: WebRequest) => Promise<Answer>>

function known(asker: Asker): SessionHolder {
  return asker ?? refuse({ kind: 'unauthenticated' })
}
