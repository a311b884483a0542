import { Header } from '../../shell/header.tsx'

export function RecordPage() {
  return <Header title="Record" />
}
