import { refuse } from '@kith/contract/refusal'
import type { FastifyRequest } from 'fastify'

const APP_HEADER = 'x-kith-app'

const SAFE = new Set(['GET', 'HEAD'])

/**
 * Refuses requests that another site could make a browser send. A form cannot set the header, and a script of another
 * origin needs CORS permission, which we never give. The origin headers of browsers must agree.
 */
export function requireSameSite(request: FastifyRequest, { app_url }: { app_url: string }): void {
  if (SAFE.has(request.method)) return
  const { origin, 'sec-fetch-site': site, [APP_HEADER]: mark } = request.headers
  if (mark !== '1') refuseForeign('Send the header X-Kith-App: 1.')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') refuseForeign('It came from another site.')
  // The service may be reached by another name than the configured one: then origin and host agree.
  const own = [app_url, `${request.protocol}://${request.host}`]
  if (origin !== undefined && !own.includes(origin)) refuseForeign('It came from another site.')
}

function refuseForeign(why: string): never {
  refuse({ kind: 'forbidden', message: `This request was not made by the application. ${why}` })
}
