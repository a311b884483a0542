import { refuse } from '@kith/contract/refusal'
import type { FastifyRequest } from 'fastify'

export const APP_HEADER = 'x-kith-app'

const SAFE = new Set(['GET', 'HEAD'])

/**
 * Refuses whatever another site could have made a browser send. A form cannot set the header, and a script of another origin
 * may not without our consent, which we never give; what browsers say about the origin must agree with that.
 */
export function requireSameSite(request: FastifyRequest, { app_url }: { app_url: string }): void {
  if (SAFE.has(request.method)) return
  const { origin, 'sec-fetch-site': site, [APP_HEADER]: mark } = request.headers
  if (mark !== '1') refuseForeign('Send the header X-Kith-App: 1.')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') refuseForeign('It came from another site.')
  // Whoever reaches the service by another name than the configured one is at home there, too: the browser names both.
  const own = [app_url, `${request.protocol}://${request.host}`]
  if (origin !== undefined && !own.includes(origin)) refuseForeign('It came from another site.')
}

function refuseForeign(why: string): never {
  refuse({ kind: 'forbidden', message: `This request was not made by the application. ${why}` })
}
