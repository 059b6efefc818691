import { runProgram } from './program.ts'

// Ending by exitCode alone would wait for whatever a library left open.
process.exit(await runProgram(process.argv.slice(2)))
