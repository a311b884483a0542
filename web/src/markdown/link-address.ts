/** The address that a link leads to: what was typed, with the scheme that it lacks. Undefined if it is none. */
export function linkAddress(typed: string): string | undefined {
  const text = typed.trim()
  if (/\s/.test(text)) return undefined
  if (/^mailto:[^@]+@[^@]+$/i.test(text)) return text
  if (/^[^@/:]+@[^@/:]+\.[^@/:]+$/.test(text)) return `mailto:${text}`
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? text : undefined
  // Another scheme. Digits after the colon are a port.
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) return undefined
  const address = `https://${text}`
  return URL.canParse(address) && new URL(address).hostname.includes('.') ? address : undefined
}
