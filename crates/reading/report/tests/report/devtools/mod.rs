//! A headless Chromium, spoken to over a pipe in the language of its developer tools.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// No answer takes longer, also on a machine that does much else.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A browser with one page open.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    asked: u64,
    session: Option<String>,
    /// All that it said unasked: requests, entries of its log, exceptions.
    pub events: Vec<Value>,
}

impl Browser {
    /// Starts one; `None` where there is no Chromium.
    pub fn start(profile: &Path) -> Option<Self> {
        // It reads commands from its third descriptor and answers on its fourth.
        let command = format!(
            "exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --disable-background-networking --remote-debugging-pipe --user-data-dir='{}' \
             3<&0 4>&1 </dev/null >/dev/null 2>&1",
            profile.display()
        );
        if !programs::installed(&["chromium"]) {
            return None;
        }
        let mut child = programs::command("sh")
            .args(["-c", &command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(from).split(0) {
                let Ok(value) = message.map(|bytes| serde_json::from_slice::<Value>(&bytes)) else {
                    return;
                };
                if sender.send(value.unwrap()).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self { child, to, from: receiver, asked: 0, session: None, events: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Asks and waits for the answer.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.from.recv_timeout(TIMEOUT).unwrap();
            if answer["id"] == self.asked {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file and waits until it is there.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        self.ask("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.from.recv_timeout(TIMEOUT).unwrap();
            self.events.push(event);
        }
    }

    /// The width of the window, and whether the user prefers dark colours.
    pub fn dress(&mut self, width: u32, dark: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask("Emulation.setEmulatedMedia", json!({"features": feature}));
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Moves the pointer over the middle of an element.
    pub fn point_at(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const element = document.querySelector({selector:?}); \
             element.scrollIntoView({{block: 'center'}}); const place = element.getBoundingClientRect(); \
             return [place.left + place.width / 2, place.top + place.height / 2]; }})()"
        ));
        let event = json!({"type": "mouseMoved", "x": place[0], "y": place[1]});
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Presses Enter where the keyboard's focus is.
    pub fn press_enter(&mut self) {
        for kind in ["keyDown", "keyUp"] {
            let key = json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"});
            self.ask("Input.dispatchKeyEvent", key);
        }
    }

    /// The events of this kind.
    pub fn said(&self, method: &str) -> Vec<&Value> {
        let all = self.events.iter();
        all.filter(|event| event["method"] == method).map(|event| &event["params"]).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let bye = json!({"id": 0, "method": "Browser.close"});
        let _ = self.to.write_all(format!("{bye}\0").as_bytes());
        // It ends by itself; what does not is ended.
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
