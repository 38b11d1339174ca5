package wire

import "testing"

func TestAppendReply(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"result":{"a":1,"resultType":"complete"},"jsonrpc":"2.0","id":7}`, `{"result":{"a":1},"jsonrpc":"2.0","id":"x"}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","a":1}}`, `{"jsonrpc":"2.0","id":"x","result":{"a":1}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":5,"cacheScope":"public"}}`, `{"jsonrpc":"2.0","id":"x","result":{}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"ttlMs":5,"a":1,"resultType":"complete","b":2,"cacheScope":"public"}}`, `{"jsonrpc":"2.0","id":"x","result":{"a":1,"b":2}}`},
		{"{\"jsonrpc\":\"2.0\",\"id\" : 7,\"result\":{ \"res\\u0075ltType\" : \"complete\" , \"a\" : [ ] , \"ttlMs\":1 } }", "{\"jsonrpc\":\"2.0\",\"id\" : \"x\",\"result\":{  \"a\" : [ ]  } }"},
		{`{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"a":[1]},"v":1},"a":1,"resultType":"complete"}}`, `{"jsonrpc":"2.0","id":"x","result":{"_meta":{"v":1},"a":1}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"a":{"_meta":{"io.modelcontextprotocol/x":1}},"_meta":{"v":1,"io.modelcontextpr\u006ftocol/y":2}}}`, `{"jsonrpc":"2.0","id":"x","result":{"a":{"_meta":{"io.modelcontextprotocol/x":1}},"_meta":{"v":1}}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"_meta":{"resultType":1},"a":{"ttlMs":5}}}`, `{"jsonrpc":"2.0","id":"x","result":{"_meta":{"resultType":1},"a":{"ttlMs":5}}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"structuredContent":[{"a":[1]},2],"resultType":"complete"}}`, `{"jsonrpc":"2.0","id":"x","result":{"structuredContent":{"result":[{"a":[1]},2]}}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"ttlMs":1,"structuredContent": null }}`, `{"jsonrpc":"2.0","id":"x","result":{"structuredContent": {"result":null} }}`},
		{`{"result":{"structuredContent":3},"jsonrpc":"2.0","id":7}`, `{"result":{"structuredContent":{"result":3}},"jsonrpc":"2.0","id":"x"}`},
		{`{"result":{"structuredContent":{"a":3},"b":{"structuredContent":3}},"jsonrpc":"2.0","id":7}`, `{"result":{"structuredContent":{"a":3},"b":{"structuredContent":3}},"jsonrpc":"2.0","id":"x"}`},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":1}}`, `{"jsonrpc":"2.0","id":"x","error":{"code":1}}`},
		{`{"jsonrpc":"2.0","error":{"code":1,"ttlMs":2} }`, `{"jsonrpc":"2.0","error":{"code":1,"ttlMs":2} ,"id":"x"}`},
	} {
		if got := string(scanned(t, FromServer, []byte(c.in)).AppendReply(nil, []byte(`"x"`))); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestAppendRequest(t *testing.T) {
	const state = `"requestState":"s"`
	for _, c := range []struct{ in, members, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"m"}`, "", `{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"m":1}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m"}`, state, `{"jsonrpc":"2.0","id":"x","method":"m","params":{"requestState":"s","_meta":{"m":1}}}`},
		{`{"id":7,"params":{},"jsonrpc":"2.0","method":"m"}`, "", `{"id":"x","params":{"_meta":{"m":1}},"jsonrpc":"2.0","method":"m"}`},
		{`{"jsonrpc":"2.0","method":"m","params":{"a":1.0},"id":7}`, state, `{"jsonrpc":"2.0","method":"m","params":{"requestState":"s","_meta":{"m":1},"a":1.0},"id":"x"}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":null,"a":1}}`, "", `{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"m":1},"a":1}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":1}}}`, "", `{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"m":1}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"_meta":{"io.modelcontextprotocol/any":1,"v":2,"progressToken":3}}}`, state,
			`{"jsonrpc":"2.0","id":"x","method":"m","params":{"requestState":"s","a":1,"_meta":{"m":1,"v":2}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"task":{},"a":1,"inputResponses":{},"requestState":"old","b":{"task":1}}}`, "",
			`{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"m":1},"a":1,"b":{"task":1}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{ "task":{} }}`, "", `{"jsonrpc":"2.0","id":"x","method":"m","params":{"_meta":{"m":1}  }}`},
	} {
		var members []byte
		if c.members != "" {
			members = []byte(c.members)
		}
		if got := string(scanned(t, FromClient, []byte(c.in)).AppendRequest(nil, []byte(`"x"`), []byte(`"m":1`), members)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestAppendNotification(t *testing.T) {
	in := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.10,"_meta":{"io.modelcontextprotocol/subscriptionId":"1","v":2},"progressToken":"ours","total":1}}`
	for _, c := range []struct{ token, progress, want string }{
		{`"theirs"`, "3", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3,"_meta":{"v":2},"progressToken":"theirs","total":1}}`},
		{`7`, "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.10,"_meta":{"v":2},"progressToken":7,"total":1}}`},
		{"", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.10,"_meta":{"v":2},"progressToken":"ours","total":1}}`},
	} {
		var token, progress []byte
		if c.token != "" {
			token = []byte(c.token)
		}
		if c.progress != "" {
			progress = []byte(c.progress)
		}
		if got := string(scanned(t, FromServer, []byte(in)).AppendNotification(nil, token, progress)); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

func TestSplice(t *testing.T) {
	got := Splice([]byte(">"), []byte("abcdef"), []Edit{{Span{0, 0}, []byte("0")}, {Span{1, 3}, []byte("XYZ")}, {Span{5, 6}, nil}, {Span{6, 6}, []byte("!")}})
	if string(got) != ">0aXYZde!" {
		t.Errorf("%s", got)
	}
}

func TestAppendError(t *testing.T) {
	for _, c := range []struct {
		id, data []byte
		want     string
	}{
		{[]byte("7"), nil, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"a \"b\""}}`},
		{nil, []byte(`{"k":1}`), `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"a \"b\"","data":{"k":1}}}`},
	} {
		if got := string(AppendError(nil, c.id, CodeInternal, `a "b"`, c.data)); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
