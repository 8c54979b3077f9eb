// Runs tests of @tensorflow/tfjs-core on its backend for WebGPU, in Node with Dawn: node tfjs.cjs DIR FILE..., where
// DIR has the packages of docs/DEVICE.md as npm installs them, and FILE is a test below dist of tfjs-core, as in
// ops/add_test.js. It prints a line for each test.
"use strict";
const path = require("node:path");
const [dir, ...files] = process.argv.slice(2);
const load = require("node:module").createRequire(path.resolve(dir, "package.json"));

async function main() {
  const webgpu = load("webgpu");
  Object.assign(globalThis, webgpu.globals);
  Object.defineProperty(globalThis, "navigator", { value: { gpu: webgpu.create([]) } });
  const core = load("jasmine-core");
  const jasmine = core.boot(core);
  const env = jasmine.getEnv();
  jasmine.DEFAULT_TIMEOUT_INTERVAL = 60000;
  const built = await load("esbuild").build({
    stdin: {
      resolveDir: path.resolve(dir),
      contents:
        `import "@tensorflow/tfjs-backend-webgpu";
        import { setTestEnvs } from "@tensorflow/tfjs-core/dist/jasmine_util";
        import "@tensorflow/tfjs-core/dist/register_all_gradients";
        import "@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops";
        const flags = { WEBGPU_CPU_FORWARD: false };
        setTestEnvs([{ name: "webgpu", backendName: "webgpu", flags, isDataSync: false }]);
        ` + files.map((f) => `require("@tensorflow/tfjs-core/dist/${f}");`).join("\n"),
    },
    bundle: true, platform: "node", format: "cjs", write: false, logLevel: "error",
  });
  env.configure({ random: false });
  let ran = 0;
  env.addReporter({
    specDone(r) {
      if (r.status === "excluded" || r.status === "pending") return;
      ran++;
      const [first] = r.failedExpectations;
      const why = first ? ": " + first.message.split("\n")[0].slice(0, 200) : "";
      console.log(`${r.status} ${r.fullName}${why}`);
    },
  });
  new Function("require", "module", "exports", built.outputFiles[0].text)(load, { exports: {} }, {});
  await env.execute();
  if (ran === 0) console.log("none"); // of the tests is for this backend
}

main().then(() => process.exit(0), (e) => { console.error(e); process.exit(1); });
