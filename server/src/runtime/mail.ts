import type { Mail } from '../calls/answer.ts'
import type { Config } from '../config.ts'

/** Sends a mail. */
export type SendMail = (mail: Mail) => Promise<void>

const TIMEOUT_MS = 20_000

/** Undefined if the configuration names no mail server. */
export function mailWith({ SMTP_URL, MAIL_FROM, APP_URL }: Config): SendMail | undefined {
  if (SMTP_URL === undefined) return undefined
  const from = MAIL_FROM ?? `Kith <kith@${new URL(APP_URL).hostname}>`
  return async ({ to, subject, text }) => {
    const transport = await openTransport(SMTP_URL)
    try {
      // As an object, so that the address cannot be parsed as several recipients.
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    } finally {
      transport.close()
    }
  }
}

/** Throws unless the mail server accepts a connection and the password. */
export async function checkMail({ SMTP_URL }: Config): Promise<void> {
  if (SMTP_URL === undefined) return
  const transport = await openTransport(SMTP_URL)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** Loads the library only when it is needed. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  return createTransport({ url, ...timeouts })
}
