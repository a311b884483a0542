import { boundedKey, isLongerThan } from '../fold.ts'
import { parseServer } from '../host.ts'
import { LINK_MAX } from '../limits.ts'

const SCHEME = /^([a-z][a-z0-9+.-]{0,19}):\/\//i
const PORT = /^\d{1,5}$/
const NEVER_IN_ADDRESS = /[\s\p{Cc}\\]/u

/** An http or https address with or without its scheme. */
export function parseWebAddress(raw: string):
  | {
      /** Scheme (if it was sent) and host lower-cased, no slash at its end. */
      text: string
      /** In the form in which hosts are compared. */
      host: string
      matchKey: string
    }
  | undefined {
  const sent = raw.trim()
  if (isLongerThan(sent, LINK_MAX) || NEVER_IN_ADDRESS.test(sent)) return undefined
  const scheme = SCHEME.exec(sent)?.[0].toLowerCase() ?? ''
  if (scheme !== '' && scheme !== 'http://' && scheme !== 'https://') return undefined
  const rest = sent.slice(scheme.length)
  const end = rest.search(/[/?#]/)
  const authority = (end === -1 ? rest : rest.slice(0, end)).toLowerCase()
  const tail = end === -1 ? '' : withoutSlash(rest.slice(end))
  // The last colon starts a port, unless it is inside the brackets of an IPv6 address.
  const colon = authority.lastIndexOf(':')
  const port = colon > authority.lastIndexOf(']') ? authority.slice(colon) : ''
  if (port !== '' && !isPort(port.slice(1))) return undefined
  const host = parseServer(authority.slice(0, authority.length - port.length))
  const text = scheme + authority + tail
  if (host === undefined || isLongerThan(text, LINK_MAX)) return undefined
  return { text, host, matchKey: boundedKey(host + port + tail.toLowerCase()) }
}

/** A slash at the end of a query or a fragment belongs to it. */
function withoutSlash(tail: string): string {
  if (tail.includes('?') || tail.includes('#')) return tail
  let end = tail.length
  while (tail[end - 1] === '/') end--
  return tail.slice(0, end)
}

function isPort(digits: string): boolean {
  return PORT.test(digits) && Number(digits) > 0 && Number(digits) < 65_536
}
