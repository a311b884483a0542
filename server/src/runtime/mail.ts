import type { Transporter } from 'nodemailer'
import type { Mail } from '../calls/answer.ts'
import type { Config } from '../config.ts'

/** Sends a mail. */
export type SendMail = (mail: Mail) => Promise<void>

const TIMEOUT_MS = 20_000

/** Undefined if the configuration names no mail server. */
export function mailWith({ SMTP_URL, MAIL_FROM, APP_URL }: Config): SendMail | undefined {
  if (SMTP_URL === undefined) return undefined
  const from = MAIL_FROM ?? `Kith <kith@${new URL(APP_URL).hostname}>`
  return ({ to, subject, text }) => {
    // As an object, so that the address cannot be parsed as several recipients.
    const mail = { from, to: { name: '', address: to }, subject, text, disableFileAccess: true, disableUrlAccess: true }
    return withTransport(SMTP_URL, (transport) => transport.sendMail(mail))
  }
}

/** Throws unless the mail server accepts a connection and the password. */
export async function checkMail({ SMTP_URL }: Config): Promise<void> {
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
