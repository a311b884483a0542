import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { factorsQuery } from '../../../api/factors.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { providerProblem } from '../../entrance/provider-problem.ts'
import { Page, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { Authenticator } from './authenticator.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import { Provider } from './provider.tsx'
import { Sessions } from './sessions.tsx'

export function Security() {
  const { problem } = useSearch({ strict: false })
  const { data: factors, error, refetch } = useQuery(factorsQuery)
  return (
    <Page title="Password and sign-in" text="How you sign in, and where you are signed in.">
      {problem !== undefined && (
        <div className="mb-6">
          <FormProblem text={providerProblem(problem)} />
        </div>
      )}
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!factors && !error && <RowSkeletons count={2} />}
      {factors && (
        <>
          <Passkeys factors={factors} />
          {factors.has_password && <Authenticator factors={factors} />}
          {factors.provider && <Provider provider={factors.provider} />}
        </>
      )}
      {factors?.has_password !== false && (
        <Section title="Change password" text="All your other sessions end when you change it.">
          <PasswordForm />
        </Section>
      )}
      <Sessions />
    </Page>
  )
}
