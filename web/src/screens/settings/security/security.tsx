import { Page, Section } from '../page.tsx'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'

export function Security() {
  return (
    <Page title="Password and sessions" text="How you get in, and where you are in.">
      <Section title="Change password" text="All your other sessions end when you change it.">
        <PasswordForm />
      </Section>
      <Sessions />
    </Page>
  )
}
