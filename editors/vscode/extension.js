// The extension starts `gcnsim debug`, and makes a configuration for the file of the editor.
const vscode = require('vscode');

const setting = (name) => vscode.workspace.getConfiguration('gcnsim').get(name);

// specification returns the program that is run for a file: for a source of OpenCL the specification beside it.
const specification = (file) => file.replace(/\.cl$/, '.json');

const complete = (config) => ({
  type: 'gcnsim', request: 'launch', name: 'gcnsim', stopOnEntry: true,
  program: specification(vscode.window.activeTextEditor?.document.fileName ?? ''), args: setting('args'), ...config,
});

exports.activate = (context) => context.subscriptions.push(
  vscode.debug.registerDebugConfigurationProvider('gcnsim', {
    resolveDebugConfiguration: (_, config) => complete(config),
  }),
  vscode.debug.registerDebugAdapterDescriptorFactory('gcnsim', {
    createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(setting('command'), ['debug']),
  }),
  vscode.commands.registerCommand('gcnsim.debug', () => vscode.debug.startDebugging(undefined, complete({}))),
);
