import { secondFactors } from '@kith/contract/app/factors'
import { refuse } from '@kith/contract/refusal'
import {
  disconnectProvider,
  forgetCodes,
  readFactors,
  removePasskey,
  renamePasskey,
} from '../../accounts/sign-in/factors.ts'
import type { SessionHolder } from '../../accounts/sign-in/sessions.ts'
import { markSession, noteFailedSignIn, noteSignIn, type SignInMethod } from '../../accounts/sign-in/sign-in-events.ts'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import type { Runtime } from '../../scope/scope.ts'
import { answerData, bodyOf, done, paramOf } from './web-request.ts'

/** How an account signs in. The notes are made by the handlers of sessions alone: no route leads to them. */
export const factorAccountHandlers = {
  factors: async (runtime: Runtime, holder: SessionHolder | null, request: WebRequest): Promise<Answer> =>
    answerData(await readFactors(runtime.engine.db, known(holder), request.site.provider)),
  'rename-passkey': async (runtime, holder, request) => {
    await renamePasskey(runtime, known(holder), { id: paramOf(request, 'id'), input: bodyOf(request) })
    return done
  },
  'remove-passkey': async (runtime, holder, request) => {
    await removePasskey(runtime, known(holder), paramOf(request, 'id'))
    return done
  },
  'disconnect-provider': async (runtime, holder) => {
    await disconnectProvider(runtime, known(holder))
    return done
  },
  'forget-codes': async (runtime, holder) => {
    await forgetCodes(runtime, known(holder))
    return done
  },
  'mark-session': async (runtime, _holder, request) => {
    await markSession(runtime, { ...sessionIn(request), factor: factorIn(request) })
    return done
  },
  'note-sign-in': async (runtime, _holder, request) => {
    await noteSignIn(runtime, {
      ...sessionIn(request),
      ...placeIn(request),
      factor: factorIn(request),
      // Both were written by the context.
      method: paramOf(request, 'method') as SignInMethod,
      rules: JSON.parse(paramOf(request, 'joins')),
    })
    return done
  },
  'note-failed-sign-in': async (runtime, _holder, request) => {
    const { user_id, what } = request.params
    const user = user_id === undefined ? { email: paramOf(request, 'email') } : { id: user_id }
    const wrong = what === 'code' || what === 'passkey' ? what : 'password'
    await noteFailedSignIn(runtime, { user, what: wrong, ...placeIn(request) })
    return done
  },
} satisfies Record<string, (runtime: Runtime, holder: SessionHolder | null, request: WebRequest) => Promise<Answer>>

function known(holder: SessionHolder | null): SessionHolder {
  return holder ?? refuse({ kind: 'unauthenticated' })
}

function sessionIn(request: WebRequest): SessionHolder {
  return { user_id: paramOf(request, 'user_id'), session_id: paramOf(request, 'session_id') }
}

function placeIn({ params: { address = '', user_agent } }: WebRequest) {
  return { address, user_agent }
}

function factorIn({ params }: WebRequest) {
  return secondFactors.find((one) => one === params.factor) ?? null
}
