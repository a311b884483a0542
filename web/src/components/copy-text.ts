/** Puts a text on the clipboard, also on pages without TLS, where browsers keep the clipboard from scripts. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'fixed opacity-0'
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
