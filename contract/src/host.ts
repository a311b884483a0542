import type { Report } from './issue.ts'

const HOST_MAX = 253
const LABEL_MAX = 63
const ASCII = /^[a-z0-9._-]+$/
/** Only characters of international names: the URL parser would decode, strip or cut at others. */
const INTERNATIONAL = /^[a-z0-9._\-\u00a1-\uffff]+$/
const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/

/**
 * A host name of two labels or more in the form in which hosts are compared: lower-case, punycode, no dot at its end.
 * Underscores pass, because web servers are found under such names; what must be a proper domain refuses them itself.
 */
export function parseHostName(text: string): string | undefined {
  if (text.length > HOST_MAX + 1) return undefined
  const lower = text.toLowerCase()
  const ascii = ASCII.test(lower) ? lower : toAscii(lower)
  if (ascii === undefined) return undefined
  const host = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii
  return host.length <= HOST_MAX && isHostName(host) ? host : undefined
}

/** Where a web server can be: a host name, localhost or an IP address (version 6 in brackets). */
export function parseServer(text: string): string | undefined {
  const lower = text.toLowerCase()
  if (lower === 'localhost') return lower
  if (IPV4.test(lower)) return lower.split('.').every((part) => Number(part) < 256) ? lower : undefined
  if (IPV6.test(lower)) return URL.parse(`http://${lower}`)?.hostname
  return parseHostName(text)
}

/** The host without "www." in front, unless nothing but a top-level domain would be left. */
export function withoutWww(host: string): string {
  let bare = host
  while (bare.startsWith('www.') && bare.includes('.', 4)) bare = bare.slice(4)
  return bare
}

export type HostRule = 'keep www' | 'drop www'

/**
 * A host in the `domain` sub-field of a filter, as the index stores it: links without "www.", email addresses with it.
 */
export function parseHostOperand(
  raw: unknown,
  rule: HostRule,
  { path, report }: { path: string; report: Report },
): string | undefined {
  const host = typeof raw === 'string' ? parseServer(raw.trim()) : undefined
  if (host === undefined) {
    report(path, 'The domain must be a bare host such as example.com, without a scheme or a path.')
    return undefined
  }
  return rule === 'drop www' ? withoutWww(host) : host
}

function toAscii(text: string): string | undefined {
  return INTERNATIONAL.test(text) && text.isWellFormed() ? URL.parse(`http://${text}`)?.hostname : undefined
}

function isHostName(host: string): boolean {
  const labels = host.split('.')
  const top = labels.at(-1) ?? ''
  // A top-level domain starts with a letter; some programs would read a name that starts with a digit as an IP address.
  return labels.length > 1 && top >= 'a' && !top.includes('_') && labels.every(isLabel)
}

function isLabel(label: string): boolean {
  return label.length > 0 && label.length <= LABEL_MAX && !label.startsWith('-') && !label.endsWith('-')
}
