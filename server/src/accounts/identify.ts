import type { Config } from '../config.ts'
import type { Engine } from '../db/engine.ts'
import { CLIENT_ADDRESS_HEADER, type Identity, openIdentity } from './identity.ts'

/** Answers requests of sign-in and sessions. The library behind it is loaded when the first one comes. */
export function identifyWith(
  engine: Engine,
  config: Config,
  report: (error: unknown) => void,
): (request: Request, clientAddress: string) => Promise<Response> {
  let opened: Promise<Identity> | undefined
  return async (request, clientAddress) => {
    opened ??= openIdentity(engine, config, report)
    const identity = await opened
    request.headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
    return identity.handler(request)
  }
}
