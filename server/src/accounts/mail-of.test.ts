import { MAILS_PER_ADDRESS, MAILS_PER_USER } from '@kith/contract/limits'
import { describe, expect, it } from 'vitest'
import { spendInMemory } from '../limits/rate-limit.ts'
import { asIs, mailOf, spendMail, told } from '../outbound/mail.ts'

describe('a text that other people have chosen', () => {
  it.each([
    ['Visit https://evil.example', 'Visit https[:]//evil[.]example'],
    ['www.evil.example/a?b=c', 'www[.]evil[.]example/a?b=c'],
    ['evil\u3002example', 'evil[\u3002]example'],
    ['evil.\u200bexample', 'evil[.]example'],
    ['ada@evil.example', 'ada@evil[.]example'],
    ['mailto:ada', 'mailto[:]ada'],
    ['one\r\nhttp://two', 'onehttp[:]//two'],
    ['\u202eelpmaxe.live', 'elpmaxe[.]live'],
    ['Acme Inc.', 'Acme Inc.'],
    ['Sales: North', 'Sales: North'],
    ['مساعد', 'مساعد'],
  ])('does not become a link: %j', (name, shown) => {
    expect(told`Join ${name} in Kith.`.text).toBe(`Join ${shown} in Kith.`)
  })

  it('stands next to links of our own', () => {
    const url = 'https://crm.example.com/x?token=a.b'
    const mail = mailOf('ada@example.com', told`For ${'a.b'}`, [told`Open ${asIs(url)} for ${'a.b'}`, asIs(url)])
    const text = `Open ${url} for a[.]b\n\n${url}`
    expect(mail).toEqual({ to: 'ada@example.com', subject: 'For a[.]b', text })
  })
})

describe('mails that users send', () => {
  it('are limited by address in any letter case, and by user', async () => {
    const spend = spendInMemory()
    const send = (user_id: string, email: string) => spendMail(spend, { user_id, email })
    for (let n = 0; n < MAILS_PER_ADDRESS; n++) await send(`user ${n}`, n % 2 ? 'ada@example.com' : 'ADA@example.com')
    await expect(send('another', 'ada@example.com')).rejects.toThrow(/to this address/)
    for (let n = 0; n < MAILS_PER_USER; n++) await send('spammer', `${n}@example.com`)
    await expect(send('spammer', 'last@example.com')).rejects.toThrow(/by you/)
    await send('another', 'last@example.com')
  })
})
