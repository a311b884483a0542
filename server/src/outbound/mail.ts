import { createHash } from 'node:crypto'
import { MAIL_WINDOW_SECONDS, MAILS_PER_ADDRESS, MAILS_PER_USER } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Transporter } from 'nodemailer'
import type { Spend } from '../limits/rate-limit.ts'

export type Mail = { to: string; subject: string; text: string; notice?: Notice }

/** What mails about notifications have besides. */
type Notice = {
  html: string
  /** The same for each copy of a mail, so that mail programs show one of them. */
  id: string
  /** Where one click ends mails of this kind. */
  unsubscribe: string
}

export type SendMail = (mail: Mail) => Promise<void>

/** The mail server in the configuration. */
type MailServer = { SMTP_URL?: string | undefined }

const TIMEOUT_MS = 20_000

/** Undefined if the configuration has no mail server. */
export function mailWith({
  SMTP_URL,
  MAIL_FROM,
  APP_URL,
}: MailServer & { MAIL_FROM?: string | undefined; APP_URL: string }): SendMail | undefined {
  if (SMTP_URL === undefined) return undefined
  const from = MAIL_FROM ?? `Kith <kith@${new URL(APP_URL).hostname}>`
  return ({ to, subject, text, notice }) => {
    // As an object, so that the address cannot be parsed as several recipients.
    const mail = { from, to: { name: '', address: to }, subject, text, disableFileAccess: true, disableUrlAccess: true }
    const more = notice && asNotice(notice, new URL(APP_URL).hostname)
    return withTransport(SMTP_URL, (transport) => transport.sendMail({ ...mail, ...more }))
  }
}

/** RFC 8058: programs show a button that ends mails of this kind. RFC 3834: no program answers them. */
function asNotice({ html, id, unsubscribe }: Notice, host: string) {
  const headers = {
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  }
  return { html, messageId: `<${id}@${host}>`, headers }
}

/** Whether a mail that could not be sent may be sent later. A server that refuses the mail itself refuses it again. */
export function mayBeSentLater(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const isRefused = 'responseCode' in error && Number(error.responseCode) >= 500
  return !isRefused || !('code' in error) || (error.code !== 'EENVELOPE' && error.code !== 'EMESSAGE')
}

/** Throws unless the mail server accepts a connection and the password. */
export async function checkMail({ SMTP_URL }: MailServer): Promise<void> {
  if (SMTP_URL !== undefined) await withTransport(SMTP_URL, (transport) => transport.verify())
}

/** Loads the library only when it is needed. */
async function withTransport(url: string, work: (transport: Transporter) => Promise<unknown>): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({ url, ...timeouts })
  try {
    await work(transport)
  } finally {
    transport.close()
  }
}

/** A part of a mail. Only `told` and `asIs` make one, so that no mail contains a link that a user has chosen. */
export type Told = { readonly text: string }

export function mailOf(to: string, subject: Told, paragraphs: readonly Told[]): Mail {
  return { to, subject: subject.text, text: paragraphs.map(({ text }) => text).join('\n\n') }
}

/**
 * Our text with inserted texts from users (names of users and workspaces, URLs of webhooks), which must not become
 * links.
 */
export function told(words: TemplateStringsArray, ...chosen: readonly (string | Told)[]): Told {
  const parts = chosen.map((one) => (typeof one === 'string' ? withoutLinks(one) : one.text))
  return { text: String.raw({ raw: words }, ...parts) }
}

/** A text that may be a link: one of our own, or the address of the reader. */
export function asIs(text: string): Told {
  return { text }
}

/** A comment in a mail. Its times and numbers stay as they are: only what can begin a link is changed. */
export function quoted(text: string): Told {
  return { text: text.replace(INVISIBLE_IN_LINE, '').replace(IN_LINKS_OF_TEXT, '[$&]') }
}

/** As HTML. */
export function escaped({ text }: Told): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const INVISIBLE_IN_LINE = /(?!\n)[\p{Cc}\p{Cf}]/gu

const IN_LINKS_OF_TEXT = /(?<=\S)(?:[.\u2024\u3002\uff0e\uff61](?=\p{L})|:(?=\/|\p{L}))/gu

const INVISIBLE = /[\p{Cc}\p{Cf}]/gu

/** Dots of any alphabet that separate the parts of a host, and the colon after a scheme. */
const IN_LINKS = /(?<=\S)[.:\u2024\u3002\uff0e\uff61](?=\S)/gu

/**
 * Mail programs turn every text that looks like an address into a link. A user's name must not become a link in our
 * mail.
 */
function withoutLinks(text: string): string {
  return text.replace(INVISIBLE, '').replace(IN_LINKS, '[$&]')
}

/** Counts a mail that a user sends to any address, and refuses it above the limit. */
export async function spendMail(spend: Spend, { user_id, email }: { user_id: string; email: string }): Promise<void> {
  const buckets = [
    { key: `mail to ${folded(email)}`, name: 'to this address', limit: MAILS_PER_ADDRESS },
    { key: `mail by ${user_id}`, name: 'by you', limit: MAILS_PER_USER },
  ]
  const refused = (await spend(buckets, MAIL_WINDOW_SECONDS))?.refused
  if (!refused) return
  const { bucket, retry_after } = refused
  const most = `${MAILS_PER_ADDRESS} an hour to one address, and ${MAILS_PER_USER} by one user`
  const message = `Too many mails were sent ${bucket}: at most ${most}. Try again in ${Math.ceil(retry_after / 60)} minutes.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

/** Hashed, so that the table of limits has keys of one length and no email addresses. */
export function folded(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
}
