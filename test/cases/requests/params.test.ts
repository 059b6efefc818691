import { testRequests } from './test-requests.ts'

testRequests('parameters', [
  { title: 'runs without any', expect: { ids: ['1'], calls: [{}] } },
])
