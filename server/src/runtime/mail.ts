import type { Letter } from '../calls/answer.ts'
import type { Config } from '../config.ts'

/** Sends mail; undefined where the configuration names no server for it. */
export type SendMail = (letter: Letter) => Promise<void>

const PATIENCE_MS = 20_000

export function mailWith({ SMTP_URL, MAIL_FROM, APP_URL }: Config): SendMail | undefined {
  if (SMTP_URL === undefined) return undefined
  const from = MAIL_FROM ?? `Kith <kith@${new URL(APP_URL).hostname}>`
  return async ({ to, subject, text }) => {
    // Only installations that send mail need the package, and only when they do.
    const { createTransport } = await import('nodemailer')
    const patience = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS }
    const transport = createTransport({ url: SMTP_URL, ...patience })
    try {
      // As an object: no name or address can be read as something else than one recipient.
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
